// Errors in the format of Apache Druid 33, for Druid's own paths. The HTTP statuses are the service's.
import type { Problem, ProblemCode } from '../model/problem.ts'

/** Druid's classification of an error: its audience and its kind. */
interface DruidKind {
  /** `druidException`, or the legacy name of an error that older clients know. */
  readonly error: string
  readonly errorCode: string
  readonly persona: 'USER' | 'OPERATOR'
  readonly category: string
}

export interface DruidErrorBody extends DruidKind {
  readonly errorMessage: string
  /** Details: `code` is the service's own code, `line` and `column` the place in SQL text. */
  readonly context: Readonly<Record<string, string>>
}

const invalid: DruidKind = kind('invalidInput', 'USER', 'INVALID_INPUT')
const unsupported: DruidKind = kind('unsupported', 'USER', 'UNSUPPORTED')
const forbidden: DruidKind = kind('forbidden', 'USER', 'FORBIDDEN')
const notFound: DruidKind = kind('notFound', 'USER', 'NOT_FOUND')
const failed: DruidKind = kind('general', 'OPERATOR', 'RUNTIME_FAILURE')
const timedOut: DruidKind = legacy('Query timeout', 'TIMEOUT')
const tooLarge: DruidKind = legacy('Resource limit exceeded', 'CAPACITY_EXCEEDED')
const canceled: DruidKind = legacy('Query cancelled', 'CANCELED')
const busy: DruidKind = legacy('Query capacity exceeded', 'CAPACITY_EXCEEDED')

function kind(errorCode: string, persona: DruidKind['persona'], category: string): DruidKind {
  return { error: 'druidException', errorCode, persona, category }
}

/** Errors that Druid named before it introduced categories. */
function legacy(error: string, category: string): DruidKind {
  return { error, errorCode: 'legacyQueryException', persona: 'OPERATOR', category }
}

const byCode: Partial<Record<ProblemCode, DruidKind>> = {
  unsupported_native_query: unsupported,
  forbidden,
  path_not_found: notFound,
  not_found: notFound,
  query_body_too_large: tooLarge,
  result_too_large: tooLarge,
  too_many_buckets: tooLarge,
  too_many_requests: busy,
  overloaded: busy,
  query_timeout: timedOut,
  query_canceled: canceled,
}

export function druidErrorBody(problem: Problem): DruidErrorBody {
  const { code, status, message } = problem
  const text = message.replace(/^(?:sql_query|query_data): |^query_data\./, '')
  const at = /\(line (\d+), column (\d+)\)$/.exec(text)
  const isSql = message.startsWith('sql_query: ')
  return {
    ...(byCode[code] ?? (status < 500 ? invalid : failed)),
    errorMessage: text,
    context: {
      code,
      ...(isSql ? { sourceType: 'sql' } : {}),
      ...(at === null ? {} : { line: at[1]!, column: at[2]! }),
    },
  }
}
