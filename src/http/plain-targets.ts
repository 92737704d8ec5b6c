// Tested by `src/http/plain-pushes.test.ts`.

// Recognizes plain pushes by target and media type; the framework handles all other requests.
import type { IncomingHttpHeaders } from 'node:http'
import type { KeyScheme } from '../access/keys.ts'
import type { Push, PushResult } from '../ingest/push.ts'
import type { Ingest } from '../model/ingest.ts'
import { type LinePrecision, lineFormatOf, lineMediaType } from '../model/line-format.ts'
import { keySchemesAt } from './basic-paths.ts'
import { lineConfig } from './line-route.ts'
import { batchHeader, type WritePath, writePaths } from './routes/lines.ts'
import { pushPaths } from './routes/pushes.ts'

export interface PlainTarget {
  readonly alias: string
  /** The route's name in metrics. */
  readonly route: string
  /** The authentication schemes that its path accepts in addition to `Bearer`. */
  readonly keySchemes: readonly KeyScheme[]
  readonly formatOf: (ingest: Ingest) => Push['format']
  readonly answerOf: (result: Answered) => PlainAnswer
}

type Answered = Pick<PushResult, 'batch'>

export interface PlainAnswer {
  readonly status: number
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly text: string
}

/** Null when the target is not a plain one, or the media type does not fit its path. */
type ReadTarget = (target: string, contentType: IncomingHttpHeaders['content-type']) => PlainTarget | null

export function plainTargets(basePath: string): ReadTarget {
  const readers = [
    ...pushPaths.map(({ url }) => rowsTarget(basePath, url)),
    ...writePaths.map((path) => linesTarget(basePath, path)),
  ]
  return (target, contentType) => {
    for (const read of readers) {
      const found = read(target, contentType)
      if (found !== null) return found
    }
    return null
  }
}

/** A name without percent-encoding. */
const plainName = /^[\w.-]+$/

const rowTypes: ReadonlyMap<string | undefined, 'json' | 'ndjson'> = new Map([
  [undefined, 'json'],
  ['application/json', 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['application/json;charset=utf-8', 'json'],
  ['application/x-ndjson', 'ndjson'],
])

function rowsTarget(basePath: string, url: string): ReadTarget {
  const [before = '', after = ''] = url.split(':ingest')
  const route = basePath + url
  const start = basePath + before
  const keySchemes = keySchemesAt(url)
  return (target, contentType) => {
    if (!target.startsWith(start) || !target.endsWith(after)) return null
    const alias = target.slice(start.length, target.length - after.length)
    const format = rowTypes.get(contentType)
    if (format === undefined || !plainName.test(alias)) return null
    return { alias, route, keySchemes, formatOf: () => format, answerOf: rowsAnswer }
  }
}

function rowsAnswer(result: Answered): PlainAnswer {
  const text = JSON.stringify(result)
  const length = String(Buffer.byteLength(text))
  return { status: 200, headers: ['content-type', 'application/json', 'content-length', length], text }
}

/** The media types that clients send; curl declares a form by default. */
const lineTypes: ReadonlySet<string | undefined> = new Set([
  undefined,
  lineMediaType,
  `${lineMediaType}; charset=utf-8`,
  `${lineMediaType};charset=utf-8`,
  'application/x-www-form-urlencoded',
])

function linesTarget(basePath: string, { url, target: named, precisions, ignored }: WritePath): ReadTarget {
  const route = basePath + url
  const start = `${route}?`
  const units = new Map(Object.entries(precisions))
  return (target, contentType) => {
    if (!target.startsWith(start) || !lineTypes.has(contentType)) return null
    const parameters = plainParameters(target.slice(start.length), [named, 'precision', ...ignored])
    const alias = parameters?.get(named)
    const precision = units.get(parameters?.get('precision') ?? 'ns')
    if (alias === undefined || precision === undefined) return null
    return { alias, route, keySchemes: lineConfig.keySchemes, formatOf: lineFormat(precision), answerOf: linesAnswer }
  }
}

function lineFormat(precision: LinePrecision): PlainTarget['formatOf'] {
  return ({ lines }) => lineFormatOf(precision, lines !== undefined)
}

function linesAnswer({ batch }: Answered): PlainAnswer {
  return { status: 204, headers: [batchHeader.toLowerCase(), batch], text: '' }
}

/** Null when a parameter is not among these names, is repeated, or is not plain. */
function plainParameters(query: string, names: readonly string[]): ReadonlyMap<string, string> | null {
  const parameters = new Map<string, string>()
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=')
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
    if (at < 0 || !names.includes(name) || parameters.has(name) || !plainName.test(value)) return null
    parameters.set(name, value)
  }
  return parameters
}
