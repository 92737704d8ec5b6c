// Translates the regular expressions that tools write to LIKE. A LIKE on tags is looked up, and its cost does not grow with the pattern.
import { likeTest } from '../lib/like-matcher.ts'
import { refused } from './refusals.ts'
import type { PatternNode } from './syntax.ts'

/** Matches if one of them does. `texts` are the patterns without `%` and `_`; no character of them is escaped. */
export interface Likes {
  readonly texts: readonly string[]
  readonly patterns: readonly string[]
}

export const likeEscape = '\\'

/** Accepts text, `.`, `.*`, `.+`, anchors, and alternatives in one group or without anchors; null for anything else. */
export function likesOf(source: string): Likes | null {
  const isStart = source.startsWith('^')
  const isEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(source)
  const inner = source.slice(isStart ? 1 : 0, isEnd ? -1 : undefined)
  const isGroup = inner.startsWith('(') && inner.endsWith(')') && !inner.endsWith('\\)')
  const alternatives = alternativesOf(isGroup ? inner.slice(1, -1) : inner)
  if (alternatives === null || (alternatives.length > 1 && !isGroup && (isStart || isEnd))) return null
  const isText = (one: Alternative): boolean => isStart && isEnd && one.text === one.like.replace(/\\([%_\\])/g, '$1')
  const like = ({ like: middle }: Alternative): string => `${isStart ? '' : '%'}${middle}${isEnd ? '' : '%'}`
  return {
    texts: alternatives.filter(isText).map(({ text }) => text),
    patterns: alternatives.filter((one) => !isText(one)).map(like),
  }
}

interface Alternative {
  /** The literal text, without wildcards. */
  readonly text: string
  readonly like: string
}

function alternativesOf(source: string): readonly Alternative[] | null {
  const found: Alternative[] = []
  let [text, like] = ['', '']
  for (const [part] of source.matchAll(/\.[*+]?|\\[\s\S]|[\s\S]/g)) {
    if (part === '|') {
      found.push({ text, like })
      ;[text, like] = ['', '']
    } else if (part.startsWith('.')) like += part === '.' ? '_' : part === '.*' ? '%' : '_%'
    else if (/^(?:\\\w|[\\*+?()[\]{}^$])$/.test(part)) return null
    else {
      text += part.at(-1)!
      like += part.at(-1)!.replace(/[%_\\]/, '\\$&')
    }
  }
  return [...found, { text, like }]
}

/** Tests names from definitions, against one name or a pattern. */
export function matcher(of: string | PatternNode): (name: string) => boolean {
  if (typeof of === 'string') return (name) => name === of
  const { source } = of
  const isInsensitive = source.startsWith('(?i)')
  const cased = (text: string): string => (isInsensitive ? text.toLowerCase() : text)
  const likes = likesOf(cased(isInsensitive ? source.slice(4) : source))
  if (likes === null)
    throw refused(
      `/${source}/: regular expressions of measurements and keys are made of text, ., .*, ^, $ and (a|b). Write a simpler one.`,
    )
  const tests = likes.patterns.map((pattern) => likeTest(pattern, likeEscape))
  return (name) => likes.texts.includes(cased(name)) || tests.some((test) => test(cased(name)))
}
