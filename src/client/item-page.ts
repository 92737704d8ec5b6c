import { jsonMembers } from '../lib/json-members.ts'
import { JsonRows } from '../lib/json-rows.ts'

/** The items of a page as their original texts, in which numbers keep every digit, and the token of the next page. */
export function itemsOfPage(text: string): { readonly items: readonly string[]; readonly token: string | null } {
  const page = new Map(jsonMembers(text).map(({ name, value }) => [name, value]))
  return { items: textsInList(page.get('Items') ?? '[]'), token: JSON.parse(page.get('NextToken') ?? 'null') }
}

/** The texts of the elements of a JSON list. */
export function textsInList(list: string): string[] {
  const rows = new JsonRows({ rowBytesMax: Number.MAX_SAFE_INTEGER })
  const texts = rows.push(new TextEncoder().encode(list)).map((row) => new TextDecoder().decode(row))
  rows.end()
  return texts
}
