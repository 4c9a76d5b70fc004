import * as v from 'valibot'
import type { StackTemplate } from '../stack-template.ts'

/** The gateway's own faults that can occur locally, with their status on AWS. */
const faults = {
  MISSING_AUTHENTICATION_TOKEN: { status: 403, fallback: 'DEFAULT_4XX' },
  REQUEST_TOO_LARGE: { status: 413, fallback: 'DEFAULT_4XX' },
  THROTTLED: { status: 429, fallback: 'DEFAULT_4XX' },
  INTEGRATION_FAILURE: { status: 502, fallback: 'DEFAULT_5XX' },
  INTEGRATION_TIMEOUT: { status: 504, fallback: 'DEFAULT_5XX' },
} as const

export type GatewayFault = keyof typeof faults

const propertiesSchema = v.object({
  ResponseType: v.string(),
  StatusCode: v.optional(v.string()),
  ResponseParameters: v.optional(v.record(v.string(), v.string()), {}),
  ResponseTemplates: v.object({ 'application/json': v.string() }),
})

/**
 * Reads the responses that the gateway sends itself, as configured in the template. Faults without one fall back to
 * DEFAULT_4XX or DEFAULT_5XX.
 */
export function readGatewayResponses(template: StackTemplate) {
  const responses = new Map(
    template.ofType('AWS::ApiGateway::GatewayResponse').map(({ properties }) => {
      const parsed = v.parse(propertiesSchema, template.resolve(properties))
      return [parsed.ResponseType, parsed]
    }),
  )
  return (fault: GatewayFault, requestId: string) => {
    const { status, fallback } = faults[fault]
    const response = responses.get(fault) ?? responses.get(fallback)
    const fill = (text: string) => text.replaceAll('$context.requestId', requestId)
    const parameters = Object.entries(response?.ResponseParameters ?? {}).map(([name, value]) => [
      name.replace('gatewayresponse.header.', ''),
      value === 'context.requestId' ? requestId : value.replace(/^'|'$/g, ''),
    ])
    return {
      status: Number(response?.StatusCode ?? status),
      headers: { 'Content-Type': 'application/json', ...Object.fromEntries(parameters) },
      body: fill(response?.ResponseTemplates['application/json'] ?? '{"message":"$context.error.message"}'),
    }
  }
}
