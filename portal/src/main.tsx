import { render } from 'preact'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/tables.css'
import './styles/explore.css'
import './styles/views.css'
import { Suspense } from 'preact/compat'
import { session } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { Shell } from './shell/shell.tsx'
import { useStore } from './shell/store.ts'
import { applyTheme } from './shell/theme.ts'
import { Toasts } from './shell/toasts.tsx'

applyTheme()
render(<App />, document.getElementById('portal')!)

function App() {
  const who = useStore(session)
  return (
    <Suspense fallback={null}>
      {who === null ? <SignIn /> : <Shell session={who} />}
      <Toasts />
    </Suspense>
  )
}
