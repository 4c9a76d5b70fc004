import type { SearchCalls } from '../search-calls.ts'

/** The means with which tools answer: the calls of one organization, and the bounds of an answer. */
export interface ToolSession {
  readonly calls: SearchCalls
  /** The most bytes that a search may read unless its arguments say otherwise. */
  readonly maxBytes: number
  readonly sizes: UnknownSizes
  /** Longest time of a tool's work in milliseconds. @default - unlimited */
  readonly maxToolMs?: number
  readonly now: () => Date
  /** Reports an unexpected error to the operator; the assistant is only told that there was one. */
  readonly report: (error: unknown) => void
}

/** Rule for searches of unknown size; over an own relation they are always allowed. */
export interface UnknownSizes {
  readonly allowsUnknown: boolean
  /** The setting with which the operator or the user allows them. */
  readonly setting: string
}

/** The most bytes that a search of an assistant may read, unless the operator or the arguments say otherwise. */
export const defaultMaxBytes = 50_000_000_000
