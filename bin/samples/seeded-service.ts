import type { LocalServiceOptions } from '../../local/service.ts'
import { adoptEnvironment } from '../command/local-environment.ts'
import { startLocalService } from '../command/local-service.ts'
import { type DemoOrganization, seedOnce } from './seed.ts'

/**
 * Starts the local service with the samples. They are loaded while the stack is synthesised, so that a first start
 * takes no longer than a later one.
 *
 * @param port of the API; 0 picks a free one
 * @param options how the service runs, such as the links that sign in a browser of this machine
 * @returns the service, and the organizations of the demo with their keys
 * @throws as `startLocalService`, LoadRefused
 */
export async function startSeededService(
  dataFolder: string,
  port: number,
  options: Pick<LocalServiceOptions, 'memoryBytes' | 'signIn'> = {},
) {
  let organizations: readonly DemoOrganization[] = []
  const service = await startLocalService(dataFolder, port, {
    ...options,
    whileSynthesising: async (storage) => {
      adoptEnvironment(storage.environment)
      organizations = await seedOnce(storage, dataFolder)
    },
  })
  return { service, organizations }
}
