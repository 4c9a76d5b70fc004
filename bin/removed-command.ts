import { removedCommands } from './command/packaged-service.ts'

const [name = ''] = process.argv.slice(2)
process.stderr.write(`error: the command "${name}" was removed: ${removedCommands.get(name)}\n`)
process.exitCode = 2
