// Compares Tidemark's response to a request with Druid's: status, the headers that clients read, and the bytes of the body.
import type { Difference, Part } from './differences.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The status of the canceling request; null where there was none. */
  readonly cancelStatus: number | null
}

const readHeaders = [
  'content-type',
  'x-druid-sql-query-id',
  'x-druid-query-id',
  'x-druid-sql-header-included',
  'x-druid-response-context',
]

/** The members of an error that programs read. Its message and context are for people and are worded differently. */
const errorMembers = ['error', 'errorCode', 'persona', 'category']

/** Null where the responses are equal except for the `known` differences; otherwise a description of the rest. Also reports a stale `known` entry. */
export function unexplained(ours: Answer, theirs: Answer, known: readonly Difference[]): string | null {
  const left = partsLeft(ours, theirs, known)
  if (left.length > 0) return shown(left, ours, theirs)
  const stale = known.find(
    (one) =>
      partsLeft(
        ours,
        theirs,
        known.filter((other) => other !== one),
      ).length === 0,
  )
  return stale === undefined ? null : `there is no such difference any more: ${stale.says}`
}

/** The parts that still differ. Any body is accepted where a known difference cannot be normalized away. */
function partsLeft(ours: Answer, theirs: Answer, known: readonly Difference[]): Part[] {
  const differing = partsThatDiffer(ours, theirs)
  const others = differing.filter((part) => !known.some((one) => one.in.includes(part)))
  const inBody = known.filter((one) => one.in.includes('body'))
  if (others.includes('body') || !differing.includes('body') || inBody.some(({ evened }) => evened === undefined))
    return others
  const evened = (answer: Answer) => inBody.reduce((body, one) => one.evened!(body), bodyOf(answer))
  return evened(ours) === evened(theirs) ? others : [...others, 'body']
}

function partsThatDiffer(ours: Answer, theirs: Answer): Part[] {
  const parts: [Part, (answer: Answer) => unknown][] = [
    ['status', ({ status }) => status],
    ['headers', headersOf],
    ['body', bodyOf],
    ['canceling', ({ cancelStatus }) => cancelStatus],
  ]
  return parts.filter(([, of]) => of(ours) !== of(theirs)).map(([part]) => part)
}

/** Generated ids differ each time, so they are replaced by a fixed word. */
function headersOf({ headers }: Answer): string {
  const lines = readHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [`${name}: ${value.replace(/^[0-9a-f]{8}-[0-9a-f-]{27}$/, 'made')}`]
  })
  return lines.join('\n')
}

function bodyOf({ status, text }: Answer): string {
  if (status < 400 || !text.startsWith('{')) return text
  const body: Record<string, unknown> = JSON.parse(text)
  return JSON.stringify(Object.fromEntries(errorMembers.map((name) => [name, body[name]])))
}

function shown(parts: readonly Part[], ours: Answer, theirs: Answer): string {
  const side = (name: string, answer: Answer) =>
    [`--- ${name}: ${answer.status}`, headersOf(answer), answer.text.slice(0, 5000)].join('\n')
  return [`${parts.join(', ')} differ`, side('Tidemark', ours), side('Druid', theirs)].join('\n')
}
