import { type Fields, isFields } from './fields.ts'

/**
 * The messages between the plot and the host that shows it: JSON-RPC by `postMessage`. Source: MCP Apps, version
 * 2026-01-26.
 */

/** The version of MCP Apps that the plot speaks. */
const protocolVersion = '2026-01-26'

/** The id of the only request. */
const initializeId = 1

/** Code of JSON-RPC for an unknown method. */
const methodNotFound = -32_601

/** Requests of a host that need no work. */
const acknowledged = ['ping', 'ui/resource-teardown']

/** Receives what a host says. */
interface HostListener {
  /** @param result of a tool, as the server gave it */
  readonly onResult: (result: Fields) => void
  readonly onCancelled: () => void
  readonly onTheme: (theme: 'light' | 'dark') => void
}

/** Tells a host of changes. */
interface HostLink {
  /** @param height of the content in pixels */
  readonly reportHeight: (height: number) => void
}

/** Begins to speak with the host, which sends nothing before that. Messages of other windows are not read. */
export function connectHost(host: Window, own: Window, listener: HostListener): HostLink {
  // A sandboxed document has no origin, and does not know that of its host.
  const send = (message: Fields) => host.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const readContext = (context: unknown) => {
    if (isFields(context) && (context['theme'] === 'light' || context['theme'] === 'dark'))
      listener.onTheme(context['theme'])
  }
  let isInitialized = false
  let height: number | undefined
  const sendHeight = () => {
    if (isInitialized && height !== undefined)
      send({ method: 'ui/notifications/size-changed', params: { width: own.innerWidth, height } })
  }
  const notifications: Readonly<Record<string, (params: Fields) => void>> = {
    'ui/notifications/tool-result': listener.onResult,
    'ui/notifications/tool-cancelled': listener.onCancelled,
    'ui/notifications/host-context-changed': readContext,
  }
  own.addEventListener('message', ({ data, source }: MessageEvent<unknown>) => {
    if (source !== host || !isFields(data)) return
    const { id, method, params, result } = data
    if (typeof method === 'string' && id !== undefined) {
      const isKnown = acknowledged.includes(method)
      send(isKnown ? { id, result: {} } : { id, error: { code: methodNotFound, message: 'Method not found' } })
    } else if (typeof method === 'string') notifications[method]?.(isFields(params) ? params : {})
    else if (id === initializeId && isFields(result) && !isInitialized) {
      readContext(result['hostContext'])
      isInitialized = true
      send({ method: 'ui/notifications/initialized' })
      sendHeight()
    }
  })
  const appInfo = { name: 'rate-search-plot', version: '1' }
  const params = { protocolVersion, appInfo, appCapabilities: { availableDisplayModes: ['inline'] } }
  send({ id: initializeId, method: 'ui/initialize', params })
  return {
    reportHeight: (changed) => {
      if (changed === height) return
      height = changed
      sendHeight()
    },
  }
}
