// A test language that accepts wrong answers is worthless: this tests the tester.
import { describe, expect, test } from 'vitest'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { parseScenario } from '../support/scenario.ts'
import { runCheck } from '../support/scenario-world.ts'

const data = `
entity plant
  D  timestamp  time
  T  string     tag
  V  double     metric
push plant
  D           T  V
  2026-01-01  a  1
  2026-01-02  a  2
`

async function holds(check: string): Promise<boolean> {
  const { answered, expected } = await runCheck(parseScenario(data + check)[0]!, new EmbeddedStore())
  return answered === expected
}

describe('an expectation', () => {
  test.each([
    ['select plant\n  D V T\n  2026-01-01 1 a\n  2026-01-02 2 a', 'properties in another order'],
    ['select plant\n  D T V\n  2026-01-02 a 2\n  2026-01-01 a 1', 'rows in another order'],
    ['select plant\n  D T V\n  2026-01-01 a 1', 'a row too few'],
    ['select plant\n  D T V\n  2026-01-01 a 1.0\n  2026-01-02 a 2', 'a digit too many'],
    ['select plant\n  nothing', 'nothing'],
    ['select plant\n  error 400 invalid_request', 'an error where there is none'],
    ['select plant fields=V\n  error 400 unknown_entity', 'another error'],
    ['select plant fields=V\n  error 400 invalid_request at fields[1]', 'another place'],
    ['select plant fields=V\n  error 400 invalid_request "elephant"', 'other words'],
  ])('%j fails: %s', async (check) => {
    expect(await holds(check)).toBe(false)
  })

  test.each([
    ['select plant\n  D T V\n  2026-01-01 a 1\n  2026-01-02 a 2'],
    ['select plant start_date=2027-01-01\n  nothing'],
    ['select plant fields=V\n  error 400 invalid_request at fields[0] "is a metric" "not a dimension"'],
  ])('%j passes', async (check) => {
    expect(await holds(check)).toBe(true)
  })
})

test.each([
  ['  indented', 'line 1: indented, with nothing above it'],
  ['chose plant', 'line 1: "chose" is no statement'],
  ['entity plant\n  D timestamp', 'line 1: a field is "name type role", not "D timestamp"'],
  ['# words\n\npush plant\n  D T\n  2026-01-01', 'line 3: the row "2026-01-01" has 1 cells, not 2'],
  ['now soon', 'line 1: "soon" is no instant'],
  ['select plant ids', 'line 1: "ids" is no option: name=value'],
])('%j is refused by the parser', (text, message) => {
  expect(() => parseScenario(text)).toThrow(message)
})
