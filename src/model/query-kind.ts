/** The data queries, named as in their paths. */
export const queryKinds = [
  'average',
  'average-dimensions',
  'average-granularity',
  'select',
  'latest',
  'last',
  'next',
  'snap',
  'aggregate',
  'plot',
  'states',
] as const
export type QueryKind = (typeof queryKinds)[number]
