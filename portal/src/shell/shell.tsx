import { useEffect, useRef } from 'preact/hooks'
import { type Page, pages } from '../pages/pages.ts'
import { Empty } from '../parts/layout.tsx'
import { type Session, signOut } from '../session/session.ts'
import mark from '../tidemark.svg'
import { Keys } from './keys.tsx'
import { linkTo } from './link.ts'
import { isUnreachable } from './reach.ts'
import { usePlace } from './route.ts'
import { useStore } from './store.ts'
import { chooseTheme, chosenTheme, type Theme } from './theme.ts'
import { notify } from './toasts.tsx'

/** The frame: links to the pages that this key may use, and the current page. */
export function Shell({ session }: { readonly session: Session }) {
  const place = usePlace()
  const unreachable = useStore(isUnreachable)
  const open = pages.filter(({ rights }) => rights.some((right) => session.rights.includes(right)))
  const page = open.find(({ at }) => at === (place.path[0] ?? ''))
  useEffect(() => {
    document.title = `${page?.name ?? 'Not found'} · Tidemark`
  }, [page])
  return (
    <div class="shell">
      <button type="button" class="button skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to the page
      </button>
      <aside class="rail">
        <a class="brand" href={linkTo([])}>
          <img src={mark} alt="" /> Tidemark
        </a>
        <Links open={open} current={page} />
        <Foot session={session} />
      </aside>
      <div>
        {unreachable && (
          <p class="away" role="alert">
            The service does not answer. The page shows the last data received; requests are retried until it answers.
          </p>
        )}
        <main class="page" id="content" tabIndex={-1}>
          {page === undefined ? <Missing /> : <page.component key={page.at} />}
        </main>
      </div>
    </div>
  )
}

function Links({ open, current }: { readonly open: readonly Page[]; readonly current: Page | undefined }) {
  const nav = useRef<HTMLElement>(null)
  // On a phone the links are wider than the screen.
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [current])
  return (
    <nav aria-label="Pages" ref={nav}>
      {open.map((page) => (
        <a
          key={page.at}
          href={linkTo(page.at === '' ? [] : [page.at])}
          aria-current={page === current ? 'page' : undefined}
        >
          {page.name}
        </a>
      ))}
    </nav>
  )
}

function Foot({ session }: { readonly session: Session }) {
  const theme = useStore(chosenTheme)
  return (
    <div class="rail-foot small">
      <div class="who">
        <strong dir="auto">{session.subscriber ?? (session.key === null ? 'No key' : 'Operator')}</strong>
        <div class="soft">{session.key === null ? 'reading only' : session.rights.join(', ')}</div>
      </div>
      <div class="actions">
        <select
          class="input slim"
          aria-label="Colours"
          value={theme}
          onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
        >
          <option value="system">As the system</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
        <button type="button" class="button slim" onClick={leave}>
          {session.key === null ? 'Sign in' : 'Sign out'}
        </button>
        <Keys />
      </div>
    </div>
  )
}

function leave(): void {
  signOut()
  notify('You are signed out. The key is forgotten.')
}

function Missing() {
  return (
    <Empty title="The page does not exist, or this key may not open it">
      <p>
        The menu at the side shows the pages that your key may open. <a href={linkTo([])}>Go to the overview</a>.
      </p>
    </Empty>
  )
}
