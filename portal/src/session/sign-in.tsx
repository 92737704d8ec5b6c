import { useEffect, useRef, useState } from 'preact/hooks'
import { ServiceError } from '../../../src/client/service-error.ts'
import { TextField } from '../parts/inputs.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { useAction } from '../shell/asking.ts'
import mark from '../tidemark.svg'
import { keptKey, readWithoutKey, signIn, signOut } from './session.ts'

/** Asks for a key. A key stored in this tab is tried first. */
export function SignIn() {
  const [key, setKey] = useState('')
  const [trying, setTrying] = useState(keptKey() !== null)
  const form = useRef<HTMLFormElement>(null)
  const doing = useAction()
  const open = useAction()
  useEffect(() => {
    const known = keptKey()
    if (known === null) return
    void doing.run(() => signIn(known).catch(forgetRefused)).then(() => setTrying(false))
  }, [])
  useEffect(() => form.current?.querySelector('input')?.focus(), [trying])
  const enter = (): Promise<boolean> => doing.run(() => signIn(key.trim()))
  const check = (): Promise<boolean> =>
    open.run(async () => {
      if (!(await readWithoutKey())) throw new Error('This service shows nothing without a key.')
    })
  if (trying) return null
  return (
    <main class="sign-in">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          void enter()
        }}
      >
        <h1 class="brand">
          <img src={mark} alt="" /> Tidemark
        </h1>
        <p class="soft">Paste your key. It stays in this tab, until you sign out or close it.</p>
        <TextField label="Key" type="password" value={key} onValue={setKey} required mono />
        <ProblemNote error={doing.error ?? open.error} />
        <div class="actions">
          <button type="submit" class="button first" disabled={doing.busy || key.trim() === ''}>
            Sign in
          </button>
          <button type="button" class="button plain" disabled={open.busy} onClick={() => void check()}>
            Look without a key
          </button>
        </div>
        <p class="small soft">
          No key? The operator of this service creates one with <code>tidemark keys create</code>. The first admin key
          was printed at the first start.
        </p>
      </form>
    </main>
  )
}

/** Forgets a key that was revoked or has expired. */
function forgetRefused(error: unknown): never {
  if (error instanceof ServiceError && error.status === 403) signOut()
  throw error
}
