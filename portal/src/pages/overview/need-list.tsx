import { Panel } from '../../parts/layout.tsx'
import type { Need } from './needs.ts'

const shownMax = 12

/** Only what is wrong; nothing where nothing is. */
export function NeedList({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0) return null
  return (
    <Panel title="Needs you">
      <ul class="needs">
        {needs.slice(0, shownMax).map(({ level, text, link }) => (
          <li key={text}>
            <span class={`pill ${level}`}>{level === 'bad' ? 'wrong' : 'look'}</span>
            {link === null ? <span>{text}</span> : <a href={link}>{text}</a>}
          </li>
        ))}
      </ul>
      {needs.length > shownMax && <p class="inside soft small">And {needs.length - shownMax} more.</p>}
    </Panel>
  )
}
