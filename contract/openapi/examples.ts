import * as v from 'valibot'
import { type ErrorType, httpStatusOf } from '../errors.ts'
import { errorBody } from '../schemas/error.ts'
import type { Content, Json } from './openapi-document.ts'

/** A request to the service and its answer, which documents show. */
export interface Example {
  readonly operation: string
  /** In kebab case; unique among the examples of a status. */
  readonly name: string
  readonly summary: string
  /** Body of the request; absent if none was sent. */
  readonly request?: Json
  readonly status: number
  /** Body of the answer; absent if it has none. */
  readonly body?: Json
}

/** Examples by name, as the document has them. */
export type NamedExamples = NonNullable<Content['application/json']['examples']>

/** Returns the bodies of requests or answers in the examples of a status, by name. */
export function chooseExamples(examples: readonly Example[], status: number, part: 'request' | 'body'): NamedExamples {
  return Object.fromEntries(
    examples.flatMap(({ name, summary, [part]: value, status: exampleStatus }) =>
      value === undefined || exampleStatus !== status ? [] : [[name, { summary, value }]],
    ),
  )
}

/** Returns the errors of a type in the examples, by name. Other types may have the same status. */
export function chooseErrors(examples: readonly Example[], type: ErrorType): NamedExamples {
  const ofType = examples.filter(({ body }) => v.is(errorBody, body) && body.error.type === type)
  return chooseExamples(ofType, httpStatusOf[type], 'body')
}
