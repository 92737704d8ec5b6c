import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type ActionState, useAction } from '../shell/asking.ts'
import { ProblemNote } from './problem-note.tsx'

interface DialogProps {
  readonly title: string
  readonly wide?: boolean
  onClose(): void
  readonly children: ComponentChildren
  /** Called when the form is submitted. */
  onSend(): void
}

/** A modal form: Escape closes it, Enter submits it. */
export function Dialog({ title, wide = false, onClose, children, onSend }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class={wide ? 'dialog wide' : 'dialog'} aria-label={title} onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          onSend()
        }}
      >
        <h2>{title}</h2>
        {children}
      </form>
    </dialog>
  )
}

interface AskFirstProps {
  readonly title: string
  readonly deed: string
  readonly danger?: boolean
  readonly wide?: boolean
  readonly ready?: boolean
  readonly children?: ComponentChildren
  onClose(): void
  /** Called when the dialog is left without the action. Default: `onClose`. */
  onCancel?(): void
  /** The action; the dialog closes when it resolves. */
  onDeed(signal: AbortSignal): Promise<void>
}

/** Asks for confirmation before an action, shows its error, and closes if it succeeds. */
export function AskFirst(props: AskFirstProps) {
  const {
    title,
    deed,
    danger = false,
    wide = false,
    ready = true,
    children,
    onClose,
    onCancel = onClose,
    onDeed,
  } = props
  const doing = useAction()
  const send = async (): Promise<void> => {
    if (ready && (await doing.run(onDeed))) onClose()
  }
  return (
    <Dialog title={title} wide={wide} onClose={onCancel} onSend={() => void send()}>
      {children}
      <ProblemNote error={doing.error} />
      <DeedButtons deed={deed} danger={danger} ready={ready} doing={doing} onClose={onCancel} />
    </Dialog>
  )
}

interface ButtonsProps {
  readonly deed: string
  readonly danger: boolean
  readonly ready: boolean
  readonly doing: ActionState
  onClose(): void
}

function DeedButtons({ deed, danger, ready, doing, onClose }: ButtonsProps) {
  return (
    <div class="actions end">
      <button type="button" class="button" onClick={() => (doing.busy ? doing.stop() : onClose())}>
        {doing.busy ? 'Stop' : 'Cancel'}
      </button>
      <button type="submit" class={danger ? 'button danger' : 'button first'} disabled={doing.busy || !ready}>
        {doing.busy && <span class="spinner" />}
        {deed}
      </button>
    </div>
  )
}
