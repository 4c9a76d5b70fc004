import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** The heading of a view. It takes the focus when the view opens, so that a screen reader says where it is. */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const { current } = heading
    document.title = `${current?.textContent ?? ''} – Rate search`
    // A control that is already in use keeps the focus.
    if (document.activeElement === document.body || document.activeElement?.tagName === 'A') current?.focus()
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}
