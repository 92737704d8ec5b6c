import { faultIn } from './row-members.ts'

/** Longer rows show only the part around the fault. */
const shownCharacters = 600

/** A row as pushed, with the faulty property highlighted. */
export function RowText({ text, field }: { readonly text: string; readonly field: string | null }) {
  const fault = faultIn(text, field)
  if (fault === null) return <pre dir="ltr">{cut(text, 0, shownCharacters)}</pre>
  const begin = Math.max(0, fault.start - shownCharacters / 2)
  const end = Math.min(text.length, fault.end + shownCharacters / 2)
  return (
    <pre dir="ltr">
      {cut(text, begin, fault.start)}
      <mark>
        <bdi>{cut(text, fault.start, fault.end)}</bdi>
      </mark>
      {cut(text, fault.end, end)}
    </pre>
  )
}

function cut(text: string, start: number, end: number): string {
  const shown = text.slice(start, Math.min(end, start + shownCharacters))
  return end - start > shownCharacters || (end < text.length && end - start === shownCharacters) ? `${shown}…` : shown
}
