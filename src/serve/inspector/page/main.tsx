import { App } from "./app.tsx";
import { render } from "./preact.ts";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
