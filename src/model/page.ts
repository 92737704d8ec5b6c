// Lists come in pages: what is asked, what is answered, and how many items a page may have.
import { invalidRequest } from './problem.ts'

export interface PageRequest {
  /** 1 to `itemsMax`; `items` when left out. */
  readonly limit?: number | undefined
  readonly token?: string | undefined
}

export interface Page<Item> {
  readonly Items: readonly Item[]
  readonly NextToken: string | null
}

/** How many items a page has, by default and at most. */
export interface PageLimits {
  readonly items: number
  readonly itemsMax: number
}

export const usualLimits: PageLimits = { items: 1000, itemsMax: 10_000 }

/** A limit as a request writes it; NaN, which `pageLimit` refuses, when it is no number. */
export function limitOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}

/** The page's size. Throws Problem `invalid_request` when it is out of bounds. */
export function pageLimit({ limit }: PageRequest, { items, itemsMax } = usualLimits): number {
  if (limit === undefined) return items
  if (Number.isInteger(limit) && limit >= 1 && limit <= itemsMax) return limit
  throw invalidRequest('limit', `must be a whole number from 1 to ${itemsMax}`)
}
