import { TextField } from '../parts/inputs.tsx'
import { useStore } from '../shell/store.ts'
import { needsPushKey, pushKey } from './push-key.ts'

/** A field for a key to push with, if the user's own key may not push. */
export function PushKeyField() {
  const key = useStore(pushKey)
  if (!needsPushKey()) return null
  return (
    <TextField
      label="Key to push with"
      type="password"
      value={key}
      onValue={pushKey.set}
      mono
      hint="Yours has no right to push. This one is forgotten when you leave the page."
    />
  )
}
