// The forms of answers: one for what succeeds, one for what fails, and one for many elements, each of which may do either.
import { Problem, problems } from '../model/problem.ts'

export interface ResponseDetail {
  readonly title: string
  readonly status: number
  readonly detail: string
  /** The code in docs/errors.md, of what fails. */
  readonly code?: string
}

interface Failed {
  readonly success: false
  readonly responseDetail: ResponseDetail
}

/** An answer of one part. `partial` says what is missing from it, and what to ask next. */
export interface Whole<Result> {
  readonly result: Result
  readonly partial: string | null
}

/** What became of each element, in the order of the request: a result, or why there is none. */
export interface Bulk<Result> {
  readonly results: readonly (readonly [id: string, outcome: Outcome<Result>])[]
  readonly partial: string | null
}

export type Outcome<Result> = { readonly result: Result } | Problem

export interface I3xAnswer {
  readonly status: 200 | 206
  readonly body: object
}

/** Where nobody is known who asks, it is a 401, though other paths of the service answer 403. */
export function failure(problem: Problem, status = problem.status): Failed {
  const { code } = problem
  return { success: false, responseDetail: { title: problems[code].title, status, detail: problem.message, code } }
}

export const whole = ({ result, partial }: Whole<unknown>): I3xAnswer => withPartial({ success: true, result }, partial)

export function bulk({ results, partial }: Bulk<unknown>, key: 'elementId' | 'subscriptionId'): I3xAnswer {
  const told = results.map(([id, outcome]) =>
    outcome instanceof Problem
      ? { success: false, [key]: id, responseDetail: failure(outcome).responseDetail }
      : { success: true, [key]: id, result: outcome.result },
  )
  return withPartial({ success: told.every(({ success }) => success), results: told }, partial)
}

function withPartial(body: object, partial: string | null): I3xAnswer {
  if (partial === null) return { status: 200, body }
  const responseDetail: ResponseDetail = { title: 'The answer is a part', status: 206, detail: partial }
  return { status: 206, body: { ...body, responseDetail } }
}

export const noElement = (id: string): Problem =>
  new Problem(
    'not_found',
    `There is no element ${JSON.stringify(id.slice(0, 256))} that this key may read. Browse from GET /objects?root=true.`,
  )
