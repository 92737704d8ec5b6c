// Pagination of lists: request, response, and page size limits.
import { invalidRequest } from './problem.ts'

export interface PageRequest {
  /** 1 to `itemsMax`; defaults to `items`. */
  readonly limit?: number | undefined
  readonly token?: string | undefined
}

export interface Page<Item> {
  readonly Items: readonly Item[]
  readonly NextToken: string | null
}

/** Items per page: the default and the maximum. */
export interface PageLimits {
  readonly items: number
  readonly itemsMax: number
}

export const defaultLimits: PageLimits = { items: 1000, itemsMax: 10_000 }

/** Parses the limit of a request; returns NaN if it is not a number, which `pageLimit` rejects. */
export function limitOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}

/** The page size. Throws Problem `invalid_request` if it is out of bounds. */
export function pageLimit({ limit }: PageRequest, { items, itemsMax } = defaultLimits): number {
  if (limit === undefined) return items
  if (Number.isInteger(limit) && limit >= 1 && limit <= itemsMax) return limit
  throw invalidRequest('limit', `must be a whole number from 1 to ${itemsMax}`)
}
