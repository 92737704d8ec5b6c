/** The operators of a list of items, in the words of the page. */
export const operators = [
  { value: '', text: 'is' },
  { value: 'bw', text: 'begins with' },
  { value: 'gt', text: 'is after' },
  { value: 'gte', text: 'is, or is after' },
  { value: 'lt', text: 'is before' },
  { value: 'lte', text: 'is, or is before' },
  { value: 'be', text: 'is between' },
] as const
export type Operator = (typeof operators)[number]['value']

/** The query parameters of a search; nothing typed is no condition. */
export function conditionsOf(
  index: string,
  operator: Operator,
  low: string,
  high: string,
): readonly (readonly [string, string])[] {
  if (low === '' && high === '') return []
  const name = operator === '' ? index : `${index}[${operator}]`
  return operator === 'be'
    ? [
        [name, low],
        [name, high],
      ]
    : [[name, low]]
}
