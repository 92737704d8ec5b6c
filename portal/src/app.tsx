import { Suspense } from 'preact/compat'
import { session } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { Shell } from './shell/shell.tsx'
import { useStore } from './shell/store.ts'
import { Toasts } from './shell/toasts.tsx'

export function App() {
  const who = useStore(session)
  return (
    <Suspense fallback={null}>
      {who === null ? <SignIn /> : <Shell session={who} />}
      <Toasts />
    </Suspense>
  )
}
