import type { SignIn } from '../../local/api-gateway/sign-in.ts'
import { startLocalService } from '../command/local-service.ts'
import { type DemoOrganization, seedOnce } from './seed.ts'

/**
 * Starts the local service with the samples. They are loaded while the stack is synthesised, so that a first start
 * takes no longer than a later one.
 *
 * @param port of the API; 0 picks a free one
 * @param signIn answers the links that sign in a browser of this machine @default - no link does
 * @returns the service, and the organizations of the demo with their keys
 * @throws as `startLocalService`, LoadRefused
 */
export async function startSeededService(dataFolder: string, port: number, signIn?: SignIn) {
  let organizations: readonly DemoOrganization[] = []
  const service = await startLocalService(dataFolder, port, {
    ...(signIn && { signIn }),
    whileSynthesising: async (storage) => {
      Object.assign(process.env, storage.environment)
      organizations = await seedOnce(storage, dataFolder)
    },
  })
  return { service, organizations }
}
