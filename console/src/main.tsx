/** Starts the console. */
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { SessionDelay } from './api/signed-in.ts'
import './design/styles.css'
import { createConsoleRouter } from './router.ts'
import { applyAppearance } from './shell/appearance.ts'
import { watchFocus } from './shell/lost-focus.ts'

applyAppearance()
watchFocus()
createRoot(document.querySelector('#app')!, {
  // A page that waits for the service is no fault of the console.
  onCaughtError: (error) => error instanceof SessionDelay || console.error(error),
}).render(<RouterProvider router={createConsoleRouter()} />)
