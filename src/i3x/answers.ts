// The response formats: success, failure, and bulk responses in which each element has its own result or error.
import { textWithLongs } from '../lib/json-with-longs.ts'
import { invalidRequest, Problem, problems } from '../model/problem.ts'

export interface ResponseDetail {
  readonly title: string
  readonly status: number
  readonly detail: string
  /** For failures: the code in docs/errors.md. */
  readonly code?: string
}

interface Failed {
  readonly success: false
  readonly responseDetail: ResponseDetail
}

/** A response with one result. `partial` explains what is missing from it and how to continue; null if it is complete. */
export interface SingleResponse<Result> {
  readonly result: Result
  readonly partial: string | null
}

/** The outcome of each element, in request order: its result or its error. */
export interface Bulk<Result> {
  readonly results: readonly (readonly [id: string, outcome: Outcome<Result>])[]
  readonly partial: string | null
}

export type Outcome<Result> = { readonly result: Result } | Problem

export interface I3xAnswer {
  readonly status: 200 | 206
  readonly body: Body
}

interface Body {
  readonly success: boolean
  readonly result?: unknown
  readonly results?: readonly object[]
  readonly responseDetail?: ResponseDetail
}

const pieceChars = 64 * 1024

/** Serializes a response. A repeated result is serialized once, but counts each time. Throws Problem `result_too_large`. */
export function piecesOf({ results, ...others }: Body, resultBytes: number): readonly Uint8Array[] {
  if (results === undefined) return [Buffer.from(textWithLongs(others))]
  const head = `${textWithLongs(others).slice(0, -1)},"results":[`
  const pieces = inPieces([head, ...textsOf(results, resultBytes), ']}'])
  if (pieces.reduce((sum, { length }) => sum + length, 0) > resultBytes) throw tooLarge(resultBytes)
  return pieces
}

function textsOf(results: readonly object[], charsMax: number): readonly string[] {
  const written = new Map<object, string>()
  let chars = 0
  return results.map((result, index) => {
    const text = written.get(result) ?? textWithLongs(result)
    written.set(result, text)
    chars += text.length + 1
    if (chars > charsMax) throw tooLarge(charsMax)
    return index === 0 ? text : `,${text}`
  })
}

/** Concatenates the texts into pieces of about `pieceChars` characters. */
function inPieces(texts: readonly string[]): readonly Buffer[] {
  const pieces: Buffer[] = []
  let piece = ''
  for (const text of texts) {
    piece += text
    if (piece.length < pieceChars) continue
    pieces.push(Buffer.from(piece))
    piece = ''
  }
  return [...pieces, Buffer.from(piece)]
}

function tooLarge(resultBytes: number): Problem {
  const detail = `The answer would have more than ${resultBytes} bytes (limits.resultBytes). Request fewer elements.`
  return new Problem('result_too_large', detail)
}

/** `status` differs from the problem's for unauthenticated callers: i3X requires 401, while other paths of the service return 403. */
export function failure(problem: Problem, status = problem.status): Failed {
  const { code, errors = [] } = problem
  // This format has no list of errors that the message could refer to.
  const detail =
    errors.length > 1 ? errors.map(({ path, message }) => `${path}: ${message}`).join('; ') : problem.message
  return { success: false, responseDetail: { title: problems[code].title, status, detail, code } }
}

export const whole = ({ result, partial }: SingleResponse<unknown>): I3xAnswer =>
  withPartial({ success: true, result }, partial)

export function bulk({ results, partial }: Bulk<unknown>, key: 'elementId' | 'subscriptionId'): I3xAnswer {
  const shown = new Map<
    string,
    { readonly outcome: Outcome<unknown>; readonly result: { readonly success: boolean } }
  >()
  const responses = results.map(([id, outcome]) => {
    const known = shown.get(id)
    if (known?.outcome === outcome) return known.result
    const result =
      outcome instanceof Problem
        ? { success: false, [key]: id, responseDetail: failure(outcome).responseDetail }
        : { success: true, [key]: id, result: outcome.result }
    shown.set(id, { outcome, result })
    return result
  })
  return withPartial({ success: responses.every(({ success }) => success), results: responses }, partial)
}

function withPartial(body: Body, partial: string | null): I3xAnswer {
  if (partial === null) return { status: 200, body }
  const responseDetail: ResponseDetail = { title: 'The answer is incomplete', status: 206, detail: partial }
  return { status: 206, body: { ...body, responseDetail } }
}

/** The outcome of each id, in order; the same object for repeated ids. */
export function outcomes<Result>(
  ids: readonly string[],
  resultOf: (id: string) => Result | undefined,
  absent: (id: string) => Problem = noElement,
): Bulk<Result>['results'] {
  const known = new Map<string, Outcome<Result>>()
  return ids.map((id) => {
    const result = known.has(id) ? undefined : resultOf(id)
    if (!known.has(id)) known.set(id, result === undefined ? absent(id) : { result })
    return [id, known.get(id)!]
  })
}

/** Throws Problem `invalid_request` if a request names more than `objectsMax` elements. */
export function requireAtMost(objectsMax: number, named: readonly unknown[]): void {
  if (named.length > objectsMax) throw invalidRequest('', `a request can name at most ${objectsMax} ids (i3x.objects)`)
}

export const noElement = (id: string): Problem =>
  new Problem(
    'not_found',
    `There is no element ${JSON.stringify(id.slice(0, 256))} that this key may read. Browse from GET /objects?root=true.`,
  )
