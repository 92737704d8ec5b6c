// Text that callers choose freely is kept as a JSON string: it may hold NUL or half a surrogate pair, which databases cut off or replace.

export function toTextColumn(text: string): string {
  return JSON.stringify(text)
}

export function fromTextColumn(json: string): string {
  const text: unknown = JSON.parse(json)
  if (typeof text !== 'string') throw new Error('a text column of the catalog holds no JSON string')
  return text
}
