import type * as v from 'valibot'
import type { ErrorType } from './errors.ts'
import type { AnyRoute } from './routes.ts'

/** Schemas by name: of parameters, headers or components. */
export type Schemas = Readonly<Record<string, v.GenericSchema>>

export interface Success {
  readonly status: 200 | 202 | 204
  readonly description: string
  /** Absent if the answer has no body. */
  readonly body?: v.GenericSchema
  /** The same in CSV, if the request asks for it. */
  readonly csv?: { readonly description: string; readonly example: string }
  /** Headers in addition to those of every answer; each may be absent unless `requiredHeaders` names it. */
  readonly headers?: Schemas
  readonly requiredHeaders?: readonly string[]
}

/** The request and the answers of a call, in addition to its route. */
export interface Call {
  /** One line. */
  readonly summary: string
  /** Paragraphs separated by empty lines; the only Markdown is `code` in backticks. */
  readonly description: string
  /** Parameters of the query string; none is required unless `requiredQuery` names it. */
  readonly query?: Schemas
  readonly requiredQuery?: readonly string[]
  /** Request headers besides `Authorization`; none is required. */
  readonly headers?: Schemas
  /** Body of the request, required if the call has one. */
  readonly body?: v.GenericSchema
  readonly success: Success
  /** Error types in addition to those of every call. */
  readonly errors: readonly ErrorType[]
  /** Headers of errors in addition to those of every error of the type. */
  readonly errorHeaders?: Partial<Record<ErrorType, Schemas>>
}

/** A whole API: its routes, the request and answers of each call, and the schemas that have names. */
export interface Contract {
  readonly routes: readonly AnyRoute[]
  readonly calls: Readonly<Record<string, Call>>
  readonly components: Schemas
  /** Bodies of the calls that the service makes, by event. */
  readonly webhooks: Schemas
}
