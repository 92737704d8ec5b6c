import { expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import { asProblem, readFailure } from './druid-failure.ts'

const bodyOf = (facts: object): string => JSON.stringify({ errorMessage: 'why', ...facts })
const tooLong = 'Exceeded memory usage when aggregating type [ARRAY<STRING>], size [7010] is larger than max [1024]'

test.each([
  [504, bodyOf({ error: 'Query timeout' }), 'query_timeout', /time limit/],
  [429, bodyOf({ error: 'Query capacity exceeded' }), 'overloaded', /as many queries/],
  [400, bodyOf({ error: 'Resource limit exceeded' }), 'result_too_large', /\(why\)/],
  [500, bodyOf({ error: 'Unknown exception', errorMessage: tooLong }), 'result_too_large', /more than 1024 bytes/],
  [401, '', 'unavailable', /druid.user/],
  [500, bodyOf({ error: 'Unknown exception' }), 'unavailable', /A part of Druid failed/],
  [502, '<html>', 'unavailable', /A part of Druid failed/],
])('an answer with %i and %s is told as %s', (status, body, code, detail) => {
  const problem = asProblem(readFailure(status, body))
  expect(problem).toBeInstanceOf(Problem)
  expect(problem).toMatchObject({ code, message: expect.stringMatching(detail) })
})

test.each([
  [400, bodyOf({ error: 'druidException', category: 'INVALID_INPUT' })],
  [501, bodyOf({ category: 'UNSUPPORTED' })],
  [500, bodyOf({ error: 'Unknown exception', errorClass: 'com.fasterxml.jackson.databind.JsonMappingException' })],
  [500, bodyOf({ error: 'Unknown exception', errorClass: 'org.apache.druid.java.util.common.IAE' })],
  [500, bodyOf({ error: 'Unknown exception', errorClass: 'java.lang.ClassCastException' })],
  [500, bodyOf({ error: 'druidException', errorMessage: 'Illegal base64 character 2e' })],
  [500, bodyOf({ error: 'druidException', errorMessage: 'compare() should not be called for the NaturalComparator' })],
  [500, bodyOf({ category: 'RUNTIME_FAILURE', errorMessage: "function 'bitwiseAa0d' is not defined." })],
  [500, bodyOf({ category: 'RUNTIME_FAILURE', errorMessage: 'Invalid expression: (x); [s] used as both' })],
  [500, bodyOf({ errorMessage: 'org.apache.druid.error.DruidException: Function[replace] encountered unknown' })],
  [500, bodyOf({ errorMessage: 'java.util.concurrent.ExecutionException: org.apache.druid.java.util.common.IAE: x' })],
])('an answer with %i and %s is left to who asked', (status, body) => {
  const failure = readFailure(status, body)
  expect(asProblem(failure)).toBe(failure)
  expect(failure.isRefusal).toBe(true)
})
