import { apiGatewayEndpoint } from './api-gateway/endpoint.ts'
import type { SignIn } from './api-gateway/sign-in.ts'
import { type AthenaEndpointOptions, athenaEndpoint } from './athena/endpoint.ts'
import type { OpenTables } from './dynamodb/dynalite-tables.ts'
import { dynamodbEndpoint } from './dynamodb/endpoint.ts'
import type { LocalEndpoint } from './endpoint.ts'
import { eventBridgeEndpoint } from './event-bridge/endpoint.ts'
import { type LambdaEndpointOptions, lambdaEndpoint } from './lambda/endpoint.ts'
import { s3Endpoint } from './s3/endpoint.ts'
import { stepFunctionsEndpoint } from './step-functions/endpoint.ts'
import { stsEndpoint } from './sts/endpoint.ts'

export interface EndpointOptions extends AthenaEndpointOptions, LambdaEndpointOptions {
  /** The API's port; 0 picks a free one. */
  readonly port: number
  /** Answers the links that sign in a browser of this machine. @default - no link does */
  readonly signIn?: SignIn
  /** Further endpoints, such as AWS Batch for a stage with loads. They outlive the others. @default - none */
  readonly furtherEndpoints?: readonly LocalEndpoint[]
}

/**
 * Lists the endpoints in the order in which they start; they end in the reverse order. Athena needs the variables of
 * S3. Rules and executions end before the functions, which they would otherwise call again.
 *
 * @param tables of the data folder
 */
export const listEndpoints = (options: EndpointOptions, tables: OpenTables): readonly LocalEndpoint[] => [
  ...(options.furtherEndpoints ?? []),
  dynamodbEndpoint(tables),
  apiGatewayEndpoint(options.port, options.signIn),
  s3Endpoint([new URL(options.queryResults).host]),
  stsEndpoint,
  athenaEndpoint(options),
  lambdaEndpoint(options),
  stepFunctionsEndpoint,
  eventBridgeEndpoint,
]
