import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { readFragment, readView, replaceFragment } from '../address/routes.ts'
import { type Draft, emptyDraft } from './draft.ts'
import { readDraftLink, writeDraft } from './draft-link.ts'

/** Pause in typing before the address is written, in milliseconds: browsers refuse to change it at every key. */
const pauseMs = 250

const readAddress = (): Draft | undefined =>
  readView(readFragment()).name === 'new' ? (readDraftLink(readFragment()) ?? emptyDraft) : undefined

/**
 * Returns the draft of the form, which the address keeps: a reload, the browser's back and a copied link bring the same
 * form.
 */
export function useDraft(): readonly [draft: Draft, change: (draft: Draft) => void] {
  const [draft, setDraft] = useState(() => readAddress() ?? emptyDraft)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    const follow = () => {
      clearTimeout(timer.current)
      const linked = readAddress()
      if (linked !== undefined) setDraft(linked)
    }
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const change = useCallback((next: Draft) => {
    setDraft(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      // A view that was opened meanwhile keeps its own address.
      if (readAddress() !== undefined) replaceFragment(writeDraft(next))
    }, pauseMs)
  }, [])
  return [draft, change]
}
