import type * as v from 'valibot'
import type { ErrorType } from './errors.ts'
import type { AnyRoute } from './routes.ts'

/** Schemas by name: of parameters, headers or components. */
export type Schemas = Readonly<Record<string, v.GenericSchema>>

/** A success of a call. */
export interface Success {
  readonly status: 200 | 202 | 204
  readonly description: string
  /** Absent if there is no body. */
  readonly body?: v.GenericSchema
  /** Headers beside those of every answer; each may be absent unless `requiredHeaders` names it. */
  readonly headers?: Schemas
  readonly requiredHeaders?: readonly string[]
}

/** What a call takes and answers, beside its route. */
export interface Call {
  /** One line. */
  readonly summary: string
  /** Paragraphs with an empty line between; `code` in backticks and nothing else of Markdown. */
  readonly description: string
  /** Parameters of the query string; none is required. */
  readonly query?: Schemas
  /** Headers of the request beside `Authorization`; none is required. */
  readonly headers?: Schemas
  /** Body of the request, required if the call has one. */
  readonly body?: v.GenericSchema
  readonly success: Success
  /** Kinds of error beside those of every call. */
  readonly errors: readonly ErrorType[]
  /** Headers of errors beside those of every error of the kind. */
  readonly errorHeaders?: Partial<Record<ErrorType, Schemas>>
}

/** A whole API: its routes, what each of its operations takes and answers, and the schemas that have names. */
export interface Contract {
  readonly routes: readonly AnyRoute[]
  readonly calls: Readonly<Record<string, Call>>
  readonly components: Schemas
}
