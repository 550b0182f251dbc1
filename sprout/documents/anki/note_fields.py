"""Fields of the notes that Sprout makes for Anki, by which it knows them again."""

NOTE_TYPE = "Sprout"
NOTE_FIELDS = ("Question", "Options", "Answer", "Why", "Source")
