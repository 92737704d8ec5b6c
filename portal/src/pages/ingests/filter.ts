import type { TidemarkClient } from '../../../../src/client/client.ts'
import { linkTo } from '../../shell/link.ts'
import type { Place } from '../../shell/route.ts'

type RejectedRequest = NonNullable<Parameters<TidemarkClient['rejected']>[1]>

/** Selects the rejected rows to show; stored in the address. */
export interface RejectedFilter {
  readonly code?: string
  readonly field?: string
  readonly batch?: string
}

export function filterOf({ query }: Place): RejectedFilter {
  const pairs = (['code', 'field', 'batch'] as const).map((name) => [name, query.get(name)] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== null && value !== ''))
}

export const filterLink = (alias: string, filter: RejectedFilter): string => linkTo(['ingests', alias], { ...filter })

export const isFiltered = (filter: RejectedFilter): boolean => Object.keys(filter).length > 0

export const requestOf = (filter: RejectedFilter, token?: string | null): RejectedRequest => ({
  ...filter,
  ...(token == null ? {} : { token }),
})
