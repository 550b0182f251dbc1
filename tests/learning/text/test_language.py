"""Language of a text, by its frequent words."""

import pytest

from sprout.learning.text.language import leading_language
from sprout.learning.text.stemmers import stem_in, stemmer_language

TEXTS = {
    "id": "Fotosintesis adalah proses yang terjadi di daun dan tidak dapat berjalan tanpa cahaya dari matahari",
    "vi": "Quang hợp là quá trình của cây và không có ánh sáng thì cây không sống được trong một ngày",
    "sw": "Usanisinuru ni mchakato wa mimea ya kijani na hufanyika katika majani kwa mwanga wa jua",
    "tl": "Ang potosintesis ay proseso ng mga halaman at ito ay hindi nagaganap sa dilim",
    "et": "Fotosüntees on taimede protsess mis toimub päeval ja ei ole võimalik kui valgust ei ole",
    "is": "Ljóstillífun er ferli í plöntum og það er ekki hægt án ljóss sem var til með sólinni",
    "hr": "Fotosinteza je proces koji se odvija u biljkama i nije moguć bez svjetla kao što je sunce",
    "ca": "La fotosíntesi és un procés de les plantes amb què els sucres són fets també quan fa sol",
    "it": "La fotosintesi è un processo delle piante che si svolge di giorno con la luce del sole",
    "es": "La fotosíntesis es un proceso de las plantas que se hace de día con la luz del sol",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_language_is_told_from_those_that_share_words_with_it(code: str) -> None:
    words = TEXTS[code].lower().split()
    assert leading_language(words) == code
    assert stem_in(stemmer_language(words), words[1])
