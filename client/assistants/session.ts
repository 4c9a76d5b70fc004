import type { SearchCalls } from '../search-calls.ts'

/** The means with which tools answer: the calls of one organization, and the bounds of an answer. */
export interface ToolSession {
  readonly calls: SearchCalls
  /** The most bytes that a search may read unless its arguments say otherwise. */
  readonly maxBytes: number
  /** Longest time of a tool's work in milliseconds. @default - unlimited */
  readonly maxToolMs?: number
  readonly now: () => Date
  /** The document that draws the groups of a summary. @default - none is offered */
  readonly plot?: string | undefined
  /** Reports an unexpected error to the operator; the assistant is only told that there was one. */
  readonly report: (error: unknown) => void
}

/** The most bytes that a search of an assistant may read, unless the operator or the arguments say otherwise. */
export const defaultMaxBytes = 50_000_000_000
