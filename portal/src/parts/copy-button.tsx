import { useState } from 'preact/hooks'

const shownMs = 1500

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without TLS, and except on this machine, browsers offer pages no clipboard.
    return false
  }
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [done, show] = useState('')
  const copy = async (): Promise<void> => {
    show((await copied(text)) ? 'Copied' : 'Select and copy it by hand')
    setTimeout(() => show(''), shownMs)
  }
  return (
    <button type="button" class="button slim" onClick={() => void copy()}>
      {done === '' ? label : done}
    </button>
  )
}
