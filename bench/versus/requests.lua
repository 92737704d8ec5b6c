-- For wrk: sends the requests in the file $REQUESTS in turn, unchanged, and prints the measurements as a line of JSON.
-- Each request follows a line with its length in bytes.
local requests, at = {}, 0

function init()
  local file = assert(io.open(os.getenv("REQUESTS"), "rb"))
  for length in function() return file:read("*l") end do
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '\n{"answers":%d,"seconds":%f,"p50":%f,"p99":%f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, failed
  ))
end
