// `EXPLAIN PLAN FOR <query>`, which tools that speak to Druid ask.
import { tokenize } from '../parse/tokenizer.ts'

const words = ['EXPLAIN', 'PLAN', 'FOR']

/** What is to be explained, at its place in the text; null where the text is something else. */
export function explainedQuery(text: string, tokensMax: number): string | null {
  if (!/explain/i.test(text)) return null
  const tokens = tokenize(text, tokensMax)
  if (words.some((word, at) => tokens[at]!.upper !== word || tokens[at]!.kind !== 'word')) return null
  const { line, column } = tokens[words.length]!.place
  let start = column - 1
  for (let at = 1, from = 0; at < line; at += 1) {
    const lineEnd = text.indexOf('\n', from) + 1
    start += lineEnd - from
    from = lineEnd
  }
  return text.slice(0, start).replace(/[^\n]/g, ' ') + text.slice(start)
}
