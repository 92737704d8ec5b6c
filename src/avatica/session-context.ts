// What a caller says once, when he opens a connection: his key, and what all its queries mean.
import { readSqlZone, type SqlQuestion } from '../druid-sql/question.ts'
import { invalidRequest } from '../model/problem.ts'

/** The password, whoever the user is said to be; `avatica_password` is the driver's own name for it. */
export function keyInInfo(info: ReadonlyMap<string, string>): string | null {
  const key = info.get('password') ?? info.get('avatica_password') ?? ''
  return key === '' ? null : key
}

export type QuestionContext = Pick<SqlQuestion, 'zone' | 'timeoutMs'>

/** Of Druid's query context `sqlTimeZone` and `timeout` count. Throws Problem `invalid_request`. */
export function questionContext(info: ReadonlyMap<string, string>): QuestionContext {
  const zone = info.get('sqlTimeZone')
  const timeout = info.get('timeout')
  return {
    ...(zone === undefined ? {} : { zone: readSqlZone(zone, 'sqlTimeZone') }),
    ...(timeout === undefined ? {} : { timeoutMs: milliseconds(timeout) }),
  }
}

function milliseconds(text: string): number {
  const ms = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(ms) || ms < 0)
    throw invalidRequest('timeout', 'must be a whole number of milliseconds, 0 for the limit of the service')
  return ms
}
