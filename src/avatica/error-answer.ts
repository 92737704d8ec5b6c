import type { Problem, ProblemCode } from '../model/problem.ts'
import type { ErrorAnswer } from './avatica-protocol.ts'
import { UnknownConnection } from './jdbc-connections.ts'

/** Drivers only read bodies of status 200 and 500; any other status hides the message from users. */
export const errorStatus = 500

/** The status of a request refused before it is handled. Drivers must be able to read access errors and missing connections, which they reopen. */
export function refusalStatus({ code, status }: Problem): number {
  return code === 'forbidden' || code === 'not_found' ? errorStatus : status
}

const unknownConnectionCode = 1
const noAccessCode = 2
const otherCode = -1

/** SQLSTATE by problem code, where one exists. */
const states: ReadonlyMap<ProblemCode, string> = new Map([
  ['invalid_request', '42000'],
  ['forbidden', '28000'],
  ['result_too_large', '54000'],
  ['query_body_too_large', '54000'],
  ['overloaded', '53000'],
  ['unavailable', '58000'],
  ['shutting_down', '57000'],
  ['query_timeout', '57014'],
])

const otherState = '58000'

/** A Problem as an Avatica error response. */
export function errorAnswer(problem: Problem): ErrorAnswer {
  const errorMessage = problem.message.replace(/^sql_query: /, '')
  if (problem instanceof UnknownConnection)
    return { response: 'error', errorMessage, errorCode: unknownConnectionCode, sqlState: '08003' }
  return {
    response: 'error',
    errorMessage,
    errorCode: problem.code === 'forbidden' ? noAccessCode : otherCode,
    sqlState: states.get(problem.code) ?? otherState,
  }
}
