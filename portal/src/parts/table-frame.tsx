import type { ComponentChildren } from 'preact'

/** A scrollable frame for a table that may be wider than the page; it can be scrolled by keyboard. */
export function TableFrame({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keyboard.
    <section class="table-frame" aria-label={name} tabIndex={0}>
      <table class="table">{children}</table>
    </section>
  )
}

/** The head of a column of buttons; its title is only for screen readers. */
export function DeedsHead() {
  return (
    <th>
      <span class="unseen">What to do</span>
    </th>
  )
}
