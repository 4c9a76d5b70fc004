import type { LocalEnvironment } from '../../local/endpoint.ts'

/** True for variables with which the AWS SDK, Lambda or the CDK does something else than by default. */
export const isAwsSetting = (name: string): boolean => /^_?(?:AWS|CDK)_|^_X_AMZN_|^_HANDLER$/i.test(name)

/**
 * Points the SDK clients of this process and its children at local endpoints. Whatever the shell says of AWS is
 * removed: a session token, a profile or a number of retries would count beside our settings, or before them.
 *
 * @param environment settings of `describeUser`, and the endpoints
 */
export function adoptEnvironment(environment: LocalEnvironment): void {
  for (const name of Object.keys(process.env).filter(isAwsSetting)) delete process.env[name]
  Object.assign(process.env, environment)
}
