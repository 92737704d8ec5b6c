import { InvalidArgumentError } from 'commander'

function parseWhole(text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
}

/** For commander: a whole number from 1. */
export function parseCount(text: string): number {
  return parseWhole(text, 1, Number.MAX_SAFE_INTEGER)
}

/** For commander: a whole number from 0. */
export function parseOffset(text: string): number {
  return parseWhole(text, 0, Number.MAX_SAFE_INTEGER)
}

/** For commander: a whole number between two. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => parseWhole(text, least, most)
}

/** For commander: a port, where 0 is any that is free. */
export function parsePort(text: string): number {
  return parseWhole(text, 0, 65_535)
}
