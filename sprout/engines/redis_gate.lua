-- Places for model calls, shared by all processes of a deployment. Replies with the width and the calls admitted now.
--
-- KEYS: waiting (zset: call -> time when it is given up), active (the same), callers (hash: call -> learner, root, urgency),
--       turns (zset: learner -> number of their last turn), state (hash: width, turn)
-- ARGV: operation, initial width, limit, places of one root, seconds until a call is given up, call, learner, root,
--       urgency (0: a lesson, 1: a path that grows)
--
-- Calls that nobody renews are those of a process that is gone: their places are free again after their time.

local waiting, active, callers, turns, state = unpack(KEYS)
local operation, initial, limit, per_root = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local expiry_s, call, learner, root = tonumber(ARGV[5]), ARGV[6], ARGV[7], ARGV[8]
local GROWING = 1
local urgency = tonumber(ARGV[9] or GROWING)
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1e6

local function forget_expired(calls)
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', calls, '-inf', now)) do
    redis.call('ZREM', calls, gone)
    redis.call('HDEL', callers, gone)
  end
end

local function caller_of(id)
  return unpack(cjson.decode(redis.call('HGET', callers, id)))
end

local function width()
  return math.min(tonumber(redis.call('HGET', state, 'width') or initial), limit)
end

-- Of the most urgent calls whose root run has a place left, the oldest of the learner who has waited longest for a turn.
local function next_call(ids, of_root)
  local chosen, chosen_turn, chosen_urgency
  for at, id in ipairs(ids) do
    local its_learner, its_root, its_urgency = caller_of(id)
    if (of_root[its_root] or 0) < per_root then
      local turn = tonumber(redis.call('ZSCORE', turns, its_learner) or 0)
      its_urgency = its_urgency or GROWING -- written by a process of an earlier version
      local is_before = chosen == nil or its_urgency < chosen_urgency
      if is_before or (its_urgency == chosen_urgency and turn < chosen_turn) then
        chosen, chosen_turn, chosen_urgency = at, turn, its_urgency
      end
    end
  end
  return chosen
end

local function admit()
  local admitted, of_root, ids = {}, {}, redis.call('ZRANGE', waiting, 0, -1)
  if #ids == 0 then return admitted end
  local held = redis.call('ZRANGE', active, 0, -1)
  for _, id in ipairs(held) do
    local _, its_root = caller_of(id)
    of_root[its_root] = (of_root[its_root] or 0) + 1
  end
  table.sort(ids) -- they sort by time
  local places = width() - #held
  while places > 0 do
    local at = next_call(ids, of_root)
    if at == nil then break end
    local id = table.remove(ids, at)
    local its_learner, its_root = caller_of(id)
    redis.call('ZREM', waiting, id)
    redis.call('ZADD', active, now + expiry_s, id)
    redis.call('ZADD', turns, redis.call('HINCRBY', state, 'turn', 1), its_learner)
    of_root[its_root] = (of_root[its_root] or 0) + 1
    places = places - 1
    table.insert(admitted, id)
  end
  return admitted
end

local function wait()
  if not redis.call('ZSCORE', active, call) then
    redis.call('HSET', callers, call, cjson.encode({ learner, root, urgency }))
    redis.call('ZADD', waiting, now + expiry_s, call)
  end
end

local function release()
  redis.call('ZREM', waiting, call)
  redis.call('ZREM', active, call)
  redis.call('HDEL', callers, call)
end

forget_expired(waiting)
forget_expired(active)
if operation == 'wait' then wait()
elseif operation == 'hold' then redis.call('ZADD', active, 'XX', now + expiry_s, call)
elseif operation == 'release' then release()
elseif operation == 'success' then redis.call('HSET', state, 'width', math.min(width() + 1, limit))
elseif operation == 'overload' then redis.call('HSET', state, 'width', math.max(1, math.floor(width() / 2)))
end
local admitted = admit()
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, 86400) end
local is_active = redis.call('ZSCORE', active, call) and 1 or 0
return { width(), is_active, admitted }
