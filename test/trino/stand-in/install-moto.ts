import { installMoto } from './aws-server.ts'

/**
 * Installs moto for the tests on Trino, before a run that must not fail for lack of it. Exit code 1 with the reason on
 * the standard error if that is not possible.
 */
try {
  await installMoto()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
