import { contract } from '../../contract/calls.ts'
import examples from '../../contract/examples.json' with { type: 'json' }
import { failureWords } from '../../contract/failure-words.ts'
import { buildDocument } from '../../contract/openapi/openapi.ts'
import type { OpenApiDocument } from '../../contract/openapi/openapi-document.ts'

/** The content of docs/openapi.json. */
export function describeApi(): OpenApiDocument {
  return buildDocument(contract, { examples, failures: failureWords })
}
