// Content negotiation from the Accept and Accept-Encoding headers (RFC 9110, section 12).

import type { onRequestHookHandler } from 'fastify'
import { type AnswerFormat, answerFormats } from '../model/answer-format.ts'
import { Problem } from '../model/problem.ts'

interface Weighted {
  readonly name: string
  readonly weight: number
}

function parseWeighted(header: string): readonly Weighted[] {
  return header.split(',').map((part) => {
    const [name, ...parameters] = part.split(';')
    const quality = parameters.map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(parameter)?.[1])
    const weight = Number(quality.find((found) => found !== undefined) ?? 1)
    return { name: name!.trim().toLowerCase(), weight: Number.isNaN(weight) ? 1 : Math.min(1, weight) }
  })
}

interface Match {
  readonly type: string
  readonly weight: number
  /** 0 for an exact match, 1 for `type/*`, 2 for any type. */
  readonly vagueness: number
  readonly place: number
}

function matchOf(accepted: readonly Weighted[], type: string): Match | null {
  for (const [vagueness, range] of [type, type.replace(/\/.*/, '/*'), '*/*'].entries()) {
    const place = accepted.findIndex(({ name }) => name === range)
    if (place !== -1) return { type, weight: accepted[place]!.weight, vagueness, place }
  }
  return null
}

/**
 * Returns the type that a client prefers: the highest weight first, then the most specific match (exact, then `type/*`, then any), then the order of the
 * header, then the order of `offered`. Null when the client accepts none of them.
 */
export function chooseType<T extends string>(header: string | undefined, offered: readonly T[]): T | null {
  if (header === undefined || header.trim() === '' || header === '*/*') return offered[0] ?? null
  // Most programs request a single type by its exact name.
  const named = offered.find((type) => type === header)
  if (named !== undefined) return named
  const accepted = parseWeighted(header)
  let best: Match | null = null
  for (const type of offered) {
    const match = matchOf(accepted, type)
    if (match !== null && match.weight > 0 && (best === null || isBetter(match, best))) best = match
  }
  return offered.find((type) => type === best?.type) ?? null
}

function isBetter(left: Match, right: Match): boolean {
  if (left.weight !== right.weight) return left.weight > right.weight
  if (left.vagueness !== right.vagueness) return left.vagueness < right.vagueness
  return left.place < right.place
}

/** Whether a client accepts `type/subtype`. */
export function acceptsType(header: string | undefined, mediaType: string): boolean {
  return chooseType(header, [mediaType]) !== null
}

/** The first encoding of `offered` with the highest weight; null when the client accepts none of them or prefers an uncompressed body. */
export function chooseEncoding<E extends string>(header: string | undefined, offered: readonly E[]): E | null {
  if (header === undefined || header === '') return null
  const accepted = parseWeighted(header)
  const others = accepted.find(({ name }) => name === '*')?.weight ?? 0
  const weightOf = (encoding: string): number => accepted.find(({ name }) => name === encoding)?.weight ?? others
  let best: E | null = null
  let bestWeight = 0
  for (const encoding of offered) {
    const weight = weightOf(encoding)
    if (weight > bestWeight) {
      best = encoding
      bestWeight = weight
    }
  }
  const identity = accepted.find(({ name }) => name === 'identity')?.weight ?? 0
  return identity > bestWeight ? null : best
}

const formats = new Map<string, AnswerFormat>(answerFormats.map(({ name, mediaType }) => [mediaType, name]))
const offered = [...formats.keys()]

/** The format that a client prefers. Throws Problem `not_acceptable`. */
export function formatFor(accept: string | undefined): AnswerFormat {
  const format = formats.get(chooseType(accept, offered) ?? '')
  if (format !== undefined) return format
  throw new Problem(
    'not_acceptable',
    `The answer can be ${offered.slice(0, -1).join(', ')} or ${offered.at(-1)}. Leave Accept out, or allow one of them.`,
  )
}

/** Refuses a client that accepts none of the formats. */
export const acceptFormat: onRequestHookHandler = (request, _reply, done) => {
  formatFor(request.headers.accept)
  done()
}
