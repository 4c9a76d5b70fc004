import type { Peers } from './peers.ts'
import type { CredentialBook } from './signing/credentials.ts'
import type { StackTemplate } from './stack-template.ts'

/** SDK settings that point to the local endpoints. */
export type LocalEnvironment = Readonly<Record<string, string>>

/** The endpoints that functions call, named by the prefix of their actions in policies. */
export type ObservedService = 'athena' | 'dynamodb' | 'events' | 's3' | 'states' | 'sts'

/**
 * One service of AWS on this machine. `endpoints.ts` lists them all; each is in `endpoint.ts` of its folder.
 *
 * The stack is synthesised with the URL of the API, and its functions need the URLs of all endpoints. So an endpoint
 * starts before the stack exists, and begins the stack's work when every endpoint has started.
 */
export interface LocalEndpoint {
  /** @throws PortInUse, if the endpoint must have a certain port */
  start(context: StartContext): Promise<StartedEndpoint>
}

/** The surroundings in which an endpoint starts. */
export interface StartContext {
  readonly dataFolder: string
  readonly warehouseFolder: string
  readonly credentials: CredentialBook
  readonly now: () => Date
  readonly newId: () => string
  /** The variables of the endpoints before this one in the list. */
  readonly environment: LocalEnvironment
  /** Returns the URL for callers. It differs from `url` if a server in front of the endpoint observes its calls. */
  observe(service: ObservedService, url: string): Promise<string>
}

export interface StartedEndpoint {
  /** Variables with which the SDK finds the endpoint. @default - none */
  readonly environment?: LocalEnvironment
  /** The calls that other endpoints can make here, also before this one begins. @default - none */
  readonly peers?: Partial<Peers>
  /** Reads the endpoint's part of the stack and begins its work. @default - it works from its start */
  begin?(stack: StackContext): Promise<void>
  close(): Promise<void>
}

/** The synthesised stack, with everything that its parts need on this machine. */
export interface StackContext {
  readonly template: StackTemplate
  /** The variables of all endpoints. */
  readonly environment: LocalEnvironment
  readonly peers: Peers
  /** Issues the credentials of a role, valid for longer than any local run, as variables. */
  readonly credentialsOf: (roleArn: string) => LocalEnvironment
  /** Ends the work of the stack. Disposed of before any endpoint closes, so that no function calls a closed one. */
  readonly work: AsyncDisposableStack
}
