// Text chosen by callers is stored as a JSON string: it may contain NUL or half of a surrogate pair, which databases truncate or replace.

export function toTextColumn(text: string): string {
  return JSON.stringify(text)
}

export function fromTextColumn(json: string): string {
  const text: unknown = JSON.parse(json)
  if (typeof text !== 'string') throw new Error('a text column of the catalog holds no JSON string')
  return text
}
