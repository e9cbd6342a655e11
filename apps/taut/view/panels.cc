#include "panels.h"

#include "palette.h"

#include <algorithm>
#include <cmath>
#include <imgui.h>

namespace {

const ImU32 stage_colours[TAUT_STAGE_COUNT] = {IM_COL32(58, 84, 134, 255), IM_COL32(26, 140, 132, 255),
                                               IM_COL32(203, 74, 52, 255), IM_COL32(233, 176, 62, 255),
                                               IM_COL32(139, 163, 101, 255)};

ImU32 of(Colour c) {
    return IM_COL32(c.r, c.g, c.b, 255);
}

/* ---- play ----------------------------------------------------------------------------------------------------- */

// How much of the time that a frame lasts its step took.
void draw_budget(const Simulation& s, const Player& player) {
    if (player.history().empty()) {
        return;
    }
    const float taken = player.history().back().milliseconds, frame = (float)(1e3 / s.file().fps);
    const ImVec4 colour = taken <= frame       ? ImVec4(0.10f, 0.55f, 0.42f, 1)
                          : taken <= 2 * frame ? ImVec4(0.91f, 0.63f, 0.18f, 1)
                                               : ImVec4(0.80f, 0.29f, 0.20f, 1);
    char text[64];
    (void)snprintf(text, sizeof text, "%.1f of %.1f ms", taken, frame);
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, colour);
    ImGui::ProgressBar(std::min(taken / frame, 1.0f), {-1, 0}, text);
    ImGui::PopStyleColor();
}

void draw_outcome(const Player& player) {
    const taut_step_info& info = player.state().info;
    const bool good = info.outcome == TAUT_SOLVE_CONVERGED;
    ImGui::TextColored(good ? ImVec4(0.10f, 0.50f, 0.38f, 1) : ImVec4(0.78f, 0.27f, 0.18f, 1), "%s",
                       outcome_name(info.outcome));
    ImGui::SameLine();
    ImGui::Text("residual %.1e, %u iterations", info.residual, info.iterations);
    if (info.contacts) {
        ImGui::Text("%u contacts", info.contacts);
    }
}

void draw_play(const Simulation& s, Player& player) {
    ImGui::Text("frame %zu    %.2f s    %s", player.state().frame, player.state().time,
                player.playing() ? "" : "paused");
    const ImVec2 button((ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ItemSpacing.x) / 3, 0);
    if (ImGui::Button(player.playing() ? "Pause" : "Play", button)) {
        player.toggle();
    }
    ImGui::SameLine();
    if (ImGui::Button("Step", button)) {
        player.step_once();
    }
    ImGui::SameLine();
    if (ImGui::Button("Restart", button)) {
        player.restart();
    }
    draw_budget(s, player);
    draw_outcome(player);
}

/* ---- settings ------------------------------------------------------------------------------------------------- */

void draw_settings(Tuning& tuning) {
    Settings& set = tuning.settings;
    if (!ImGui::CollapsingHeader("World", ImGuiTreeNodeFlags_DefaultOpen)) {
        return;
    }
    set.changed |= ImGui::SliderFloat3("gravity", set.gravity, -20, 20, "%.1f");
    if (tuning.has_wind()) {
        set.wind_changed |= ImGui::SliderFloat3("wind", set.wind, -20, 20, "%.1f");
    }
    set.changed |= ImGui::SliderFloat("damping", &set.mass_damping, 0, 20, "%.2f 1/s", ImGuiSliderFlags_Logarithmic);
    set.changed |= ImGui::SliderInt("substeps", &set.substeps, 1, 16);
    set.changed |= ImGui::SliderInt("iterations", &set.max_iterations, 1, 5000, "%d", ImGuiSliderFlags_Logarithmic);
    set.changed |= ImGui::SliderFloat("tolerance", &set.tolerance_decade, -8, -1, "10^%.1f");
}

void draw_batch(TunedBatch& b) {
    ImGui::PushID((int)b.batch.id);
    ImGui::TextUnformatted(b.label.c_str());
    if (b.kind == TAUT_SOLID) {
        b.changed |= ImGui::SliderFloat("Young's modulus", &b.decades, -4, 4, "x 10^%.1f");
    } else if (b.soft) {
        b.changed |= ImGui::SliderFloat("compliance", &b.decades, -4, 4, "x 10^%.1f");
    } else {
        b.changed |= ImGui::SliderFloat("compliance", &b.added, TunedBatch::hard, 0,
                                        b.added > TunedBatch::hard ? "10^%.1f" : "hard");
    }
    b.damping_changed |= ImGui::SliderFloat("damping", &b.damping, 0, 1, b.damping > 0 ? "%.3f s" : "as given",
                                            ImGuiSliderFlags_Logarithmic);
    ImGui::PopID();
}

// By its logarithm: logarithmic sliders take what is less than the last digit of their format for 0.
void draw_hand(Player& player) {
    float decade = std::log10(player.hand_compliance);
    if (ImGui::SliderFloat("hand", &decade, -6, 0, "10^%.1f m/N")) {
        player.hand_compliance = std::pow(10.0f, decade);
    }
}

void draw_batches(Player& player, Tuning& tuning, const Simulation& s) {
    if (!ImGui::CollapsingHeader("Stiffness")) {
        return;
    }
    tuning.wants_compliances = true;
    for (size_t i = 0; i < std::min<size_t>(tuning.batches.size(), 40); i++) {
        draw_batch(tuning.batches[i]);
    }
    if (s.can_drag()) {
        draw_hand(player);
    }
}

/* ---- what is shown -------------------------------------------------------------------------------------------- */

void draw_scale(const Display& display, const QuantityName& name) {
    const bool both = name.quantity == Quantity::strain;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float length = ImGui::GetContentRegionAvail().x;
    const int parts = 32;
    for (int i = 0; i < parts; i++) {
        const float t = ((float)i + 0.5f) / parts;
        ImGui::GetWindowDrawList()->AddRectFilled({at.x + length * (float)i / parts, at.y},
                                                  {at.x + length * (float)(i + 1) / parts, at.y + 12},
                                                  of(both ? signed_colour(2 * t - 1) : value_colour(t)));
    }
    ImGui::Dummy({length, 12});
    ImGui::Text("%.3g to %.3g %s", both ? -display.range() : 0.0f, display.range(), name.unit);
}

void draw_shown(const Display& display, Shown& shown) {
    if (!ImGui::CollapsingHeader("Show", ImGuiTreeNodeFlags_DefaultOpen)) {
        return;
    }
    const QuantityName& now = name_of(shown.display.quantity);
    if (ImGui::BeginCombo("colour", now.name)) {
        for (size_t i = 0; i < quantity_count; i++) {
            if (ImGui::Selectable(quantity_names[i].name, quantity_names[i].quantity == now.quantity)) {
                shown.display.quantity = quantity_names[i].quantity;
                shown.changed = true;
            }
            if (ImGui::IsItemHovered()) {
                ImGui::SetTooltip("%s", quantity_names[i].meaning);
            }
        }
        ImGui::EndCombo();
    }
    if (now.quantity != Quantity::none) {
        draw_scale(display, now);
    }
    shown.changed |= ImGui::Checkbox("contacts", &shown.display.contacts);
    ImGui::SameLine();
    shown.changed |= ImGui::Checkbox("colliders", &shown.display.colliders);
    ImGui::SameLine();
    ImGui::Checkbox("lines", &shown.scenery.floor_lines);
    ImGui::TextUnformatted(display.shared() ? "surfaces: drawn where CUDA has them" : "surfaces: copied by the host");
}

/* ---- plots ---------------------------------------------------------------------------------------------------- */

void plot(const char* title, const std::deque<StepRecord>& history, float StepRecord::*value) {
    std::vector<float> values;
    for (const StepRecord& step : history) {
        values.push_back(step.*value);
    }
    char text[64];
    (void)snprintf(text, sizeof text, "%s %.3g", title, values.empty() ? 0.0 : (double)values.back());
    ImGui::PushID(title);
    ImGui::PlotLines("", values.data(), (int)values.size(), 0, text, FLT_MAX, FLT_MAX,
                     {ImGui::GetContentRegionAvail().x, 36});
    ImGui::PopID();
}

// A bar for each step, of the times of its stages upon each other.
void plot_stages(const std::deque<StepRecord>& history) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float length = ImGui::GetContentRegionAvail().x, height = 48;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, {at.x + length, at.y + height}, IM_COL32(228, 230, 234, 255), 5);
    float most = 1e-3f;
    for (const StepRecord& step : history) {
        most = std::max(most, step.milliseconds);
    }
    const float bar = length / 240;
    float x = at.x + length - bar * (float)history.size();
    for (const StepRecord& step : history) {
        float y = at.y + height;
        for (size_t i = 0; i < step.stages.size(); i++) {
            const float top = y - height * std::min(step.stages[i] / most, 1.0f);
            list->AddRectFilled({x, std::max(top, at.y)}, {x + bar, y}, stage_colours[i]);
            y = std::max(top, at.y);
        }
        x += bar;
    }
    ImGui::Dummy({length, height});
    for (size_t i = 0; i < TAUT_STAGE_COUNT; i++) {
        if (i % 3) {
            ImGui::SameLine(length * (float)(i % 3) / 3);
        }
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(stage_colours[i]), "%s", taut_stage_name((taut_stage)i));
    }
    ImGui::Text("highest step %.1f ms", most);
}

void draw_plots(const Player& player) {
    if (!ImGui::CollapsingHeader("Plots", ImGuiTreeNodeFlags_DefaultOpen)) {
        return;
    }
    plot_stages(player.history());
    plot("iterations", player.history(), &StepRecord::iterations);
    plot("log10 residual", player.history(), &StepRecord::residual);
    plot("kinetic J", player.history(), &StepRecord::kinetic);
    plot("potential J", player.history(), &StepRecord::potential);
    plot("elastic J", player.history(), &StepRecord::elastic);
}

void draw_help() {
    if (ImGui::CollapsingHeader("Mouse and keys")) {
        ImGui::TextUnformatted("drag a thing         pulls it\n"
                               "drag elsewhere       turns the view\n"
                               "right or middle      moves the view\n"
                               "wheel                nearer, farther\n"
                               "space  N  R          play, step, restart\n"
                               "F                    all of the scene\n"
                               "C  G                 contacts, lines\n"
                               "1 to 6               colours\n"
                               "P                    saves a picture\n"
                               "H  Esc               panels, end");
    }
}

} // namespace

void draw_panels(const Simulation& s, Player& player, Tuning& tuning, const Display& display, Shown& shown) {
    if (!shown.panels) {
        return;
    }
    ImGui::SetNextWindowPos({panel_margin, panel_margin});
    ImGui::SetNextWindowSize({panel_width, 0});
    ImGui::SetNextWindowSizeConstraints({panel_width, 0},
                                        {panel_width, ImGui::GetIO().DisplaySize.y - 2 * panel_margin});
    ImGui::Begin("taut", nullptr, ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize);
    ImGui::PushItemWidth(0.62f * ImGui::GetContentRegionAvail().x);
    draw_play(s, player);
    if (!shown.message.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0.78f, 0.27f, 0.18f, 1));
        ImGui::TextWrapped("%s", shown.message.c_str());
        ImGui::PopStyleColor();
    }
    draw_settings(tuning);
    draw_batches(player, tuning, s);
    draw_shown(display, shown);
    draw_plots(player);
    draw_help();
    ImGui::PopItemWidth();
    ImGui::End();
}
