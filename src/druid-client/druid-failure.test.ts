import { expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import { asProblem, asRefusal, DruidFailure, endedBy, readFailure } from './druid-failure.ts'

const bodyOf = (facts: object): string => JSON.stringify({ errorMessage: 'why', ...facts })
const unwrittenList =
  'java.util.concurrent.ExecutionException: a.b.ISE: Unable to serialize [ARRAY<STRING>], max size bytes is [1024], but need at least [1184] bytes to write entire value'
const tooLong = 'Exceeded memory usage when aggregating type [ARRAY<STRING>], size [7010] is larger than max [1024]'

test.each([
  [504, bodyOf({ error: 'Query timeout' }), 'query_timeout', /time limit/],
  [429, bodyOf({ error: 'Query capacity exceeded' }), 'overloaded', /as many queries/],
  [400, bodyOf({ error: 'Resource limit exceeded' }), 'result_too_large', /\(why\)/],
  [500, bodyOf({ error: 'Unknown exception', errorMessage: tooLong }), 'result_too_large', /more than 1024 bytes/],
  [
    500,
    bodyOf({ error: 'Unknown exception', errorMessage: unwrittenList }),
    'result_too_large',
    /more than 1024 bytes/,
  ],
  [401, '', 'unavailable', /druid.user/],
  [500, bodyOf({ error: 'Unknown exception' }), 'unavailable', /A part of Druid failed/],
  [502, '<html>', 'unavailable', /A part of Druid failed/],
])('a response with %i and %s becomes the problem %s', (status, body, code, detail) => {
  const problem = asProblem(readFailure(status, body))
  expect(problem).toBeInstanceOf(Problem)
  expect(problem).toMatchObject({ code, message: expect.stringMatching(detail) })
})

test.each([
  [400, bodyOf({ error: 'druidException', category: 'INVALID_INPUT' })],
  [501, bodyOf({ category: 'UNSUPPORTED' })],
  [500, bodyOf({ error: 'druidException', category: 'DEFENSIVE', errorMessage: 'Problem invoking method [x()]' })],
  [500, bodyOf({ error: 'Unknown exception', errorClass: 'com.fasterxml.jackson.databind.JsonMappingException' })],
  [500, bodyOf({ error: 'Unknown exception', errorClass: 'org.apache.druid.java.util.common.IAE' })],
  [500, bodyOf({ error: 'Unknown exception', errorClass: 'java.lang.ClassCastException' })],
  [500, bodyOf({ error: 'Unknown exception', errorMessage: 'null', errorClass: 'java.lang.NullPointerException' })],
  [500, bodyOf({ error: 'Unknown exception', errorMessage: '/ by zero', errorClass: 'java.lang.ArithmeticException' })],
  [500, bodyOf({ error: 'Unknown exception', errorMessage: 'null', errorClass: 'java.lang.ArithmeticException' })],
  [500, bodyOf({ error: 'druidException', errorMessage: 'Illegal base64 character 2e' })],
  [500, bodyOf({ errorMessage: 'Input byte[] should at least have 2 bytes for base64 bytes' })],
  [500, bodyOf({ errorMessage: 'Input byte array has wrong 4-byte ending unit' })],
  [500, bodyOf({ errorMessage: 'Last unit does not have enough valid bits' })],
  [500, bodyOf({ error: 'druidException', errorMessage: 'compare() should not be called for the NaturalComparator' })],
  [500, bodyOf({ category: 'RUNTIME_FAILURE', errorMessage: "function 'bitwiseAa0d' is not defined." })],
  [500, bodyOf({ category: 'RUNTIME_FAILURE', errorMessage: 'Invalid expression: (x); [s] used as both' })],
  [500, bodyOf({ errorMessage: 'org.apache.druid.error.DruidException: Function[replace] encountered unknown' })],
  [500, bodyOf({ errorMessage: 'Function[replace] encountered unknown exception.' })],
  [500, bodyOf({ errorMessage: 'Function[json_merge] bad string input [{a=1}]' })],
  [
    500,
    bodyOf({ errorMessage: 'java.util.concurrent.ExecutionException: a.b.RE: Invalid expression: (x); [s] used as' }),
  ],
  [500, bodyOf({ errorMessage: 'a.b.ExpressionValidationException: Function[json_merge] invalid input' })],
  [500, bodyOf({ errorMessage: 'while converting `fuzz`.`d` IN (1.5, PI)', errorClass: 'java.lang.RuntimeException' })],
  [500, bodyOf({ errorMessage: 'java.util.concurrent.ExecutionException: org.apache.druid.java.util.common.IAE: x' })],
])('a response with %i and %s is passed to the caller as a refusal', (status, body) => {
  const failure = readFailure(status, body)
  expect(asProblem(failure)).toBe(failure)
  expect(failure.isRefusal).toBe(true)
})

const misread =
  'Invalid type marker byte 0x2c for expected value token\n at [Source: (SequenceInputStream); line: -1, column: 419] (through reference chain: x["events"])'

const unwritten =
  'com.fasterxml.jackson.core.JsonGenerationException: Broken surrogate pair: first char 0xD83D, second 0x0031'

test('half a surrogate pair is reported as a fault of the query, at the start of a response and after it', () => {
  const said = [misread, unwritten]
  for (const failure of said.flatMap((errorMessage) => [
    readFailure(500, bodyOf({ errorMessage })),
    endedBy(errorMessage),
  ])) {
    expect(failure).toBeInstanceOf(DruidFailure)
    if (!(failure instanceof DruidFailure)) return
    expect(asProblem(failure)).toBe(failure)
    const problem = asRefusal(failure, 'sql_query')
    expect(problem).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('half of a character') })
    expect(problem.message).not.toMatch(/SequenceInputStream|0xD83D/)
  }
})

test('an error at the end of a response is a fault of the query if it is a refusal, otherwise unavailable', () => {
  expect(endedBy('org.apache.druid.error.DruidException: Function[replace] encountered unknown')).toBeInstanceOf(
    DruidFailure,
  )
  expect(endedBy('Invalid type, cannot cast [ARRAY<LONG>] to [LONG]')).toBeInstanceOf(DruidFailure)
  expect(endedBy('/ by zero')).toBeInstanceOf(DruidFailure)
  expect(endedBy('java.lang.ArithmeticException')).toBeInstanceOf(DruidFailure)
  expect(asRefusal(endedBy('null') as DruidFailure, 'sql_query').message).toContain('divided by zero')
  expect(endedBy('Channel disconnected')).toMatchObject({ code: 'unavailable' })
  expect(endedBy('Unexpected end-of-input: the stream was closed')).toMatchObject({ code: 'unavailable' })
})

test('a Druid exception without a message is reported by its class', () => {
  const failure = readFailure(500, bodyOf({ errorMessage: 'null', errorClass: 'java.lang.NullPointerException' }))
  expect(asRefusal(failure, 'sql_query').message).toContain('Druid fails with java.lang.NullPointerException')
})
