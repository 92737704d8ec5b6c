import { timeText } from './formats.ts'

/** A time in UTC. */
export function Time({ iso }: { readonly iso: string | null | undefined }) {
  if (iso === null || iso === undefined) return <span class="soft">never</span>
  return (
    <time dateTime={iso} title={`${iso} (UTC)`} class="number">
      {timeText(iso.replace(/\.\d+Z$/, 'Z'))}
    </time>
  )
}
